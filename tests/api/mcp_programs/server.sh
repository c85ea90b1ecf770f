#!/bin/sh
# An MCP server over standard input and output: a request is a line, and so is its answer. The first argument says what kind of
# server it is, the second names a file for what a test wants to know of it.
kind=$1
notes=$2
id=0

answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
# One line without what would end a text of JSON.
plain() { tr '\n"\\' ';  '; }

printf '%s %s\n' "$$" "$(pwd)" >"$notes"
echo "a word for the log, and token=ghp_abcdefghijklmnopqrstuvwxyz0123456789" >&2
case $kind in
  gone) exit 3 ;;
  garbage) printf '\377\376\n' ;;
  endless) tr '\0' x </dev/zero ;;
  flood) while :; do echo '{"jsonrpc":"2.0","method":"notifications/message"}'; done ;;
  silent) while read -r _; do :; done; exit 0 ;;
  deaf)
    trap '' TERM HUP INT PIPE
    while :; do sleep 1; done
    ;;
  greedy) big=$(head -c 300000000 /dev/zero | tr '\0' x); echo "${#big}" >>"$notes" ;;
  parent)
    setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' </dev/null >/dev/null 2>&1 &
    printf '%s\n' "$!" >>"$notes"
    ;;
  talkative)
    echo 'Welcome to the best of all servers!'
    echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"busy"}}'
    echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
    echo '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'
    read -r hello
    read -r pong
    read -r refusal
    printf '%s\n%s\n' "$pong" "$refusal" >>"$notes"
    id=1
    answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}'
    ;;
esac

while IFS= read -r line; do
  case $line in
    *'"method":"notifications/'*) continue ;;
  esac
  id=$((id + 1))
  case $line in
    *'"method":"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}' ;;
    *'"method":"tools/list"'*)
      answer '{"tools":[{"name":"look","description":"Looks around.","inputSchema":{"type":"object","properties":{}}},{"name":"end","inputSchema":{"type":"object"}}]}'
      ;;
    *'"name":"end"'*) exit 0 ;;
    *'"method":"tools/call"'*)
      : >kept-for-later
      text "$(env | sort | plain) in $(pwd) with $(ls | plain) limits $(ulimit -n) $(ulimit -t) $(ulimit -d) group $(ps -o pgid= -p $$ 2>/dev/null | tr -d ' ')"
      ;;
  esac
done
