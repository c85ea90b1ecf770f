#!/bin/sh
# A stand-in of the MCP server of Slack: it has one tool, and notes what it is given to post.
id=0
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }

while IFS= read -r line; do
  case $line in
    *'"method":"notifications/'*) continue ;;
  esac
  id=$((id + 1))
  case $line in
    *'"method":"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}' ;;
    *'"method":"tools/list"'*)
      answer '{"tools":[{"name":"slack_post_message","description":"Posts.","inputSchema":{"type":"object","properties":{"channel_id":{"type":"string"},"text":{"type":"string"}},"required":["channel_id","text"]}},{"name":"slack_list_channels","inputSchema":{"type":"object"}}]}'
      ;;
    *'"method":"tools/call"'*)
      printf '%s\n' "$line" >>'NOTES'
      answer '{"content":[{"type":"text","text":"Posted."}]}'
      ;;
  esac
done
