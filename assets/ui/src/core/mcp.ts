/** How programs are told of a flow that is a tool of MCP. */

/** Stands where a token belongs that is not shown. */
export const MCP_TOKEN = 'YOUR_MCP_TOKEN';

/** Most programs read their servers under `mcpServers`; VS Code reads them under `servers`. */
export const mcpClients = ['most', 'vscode'] as const;
export type McpClient = (typeof mcpClients)[number];

/** The most characters that the name of a tool may have. */
const NAME_MAX = 64;

/** Whether the service takes this as the name of a tool. */
export const isToolName = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

/** A name for the tool that a flow becomes, made of the flow's own; `flow` where nothing of it can stand in one. */
export function toolNameOf(flow: string): string {
  const name = flow
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, NAME_MAX)
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return name || 'flow';
}

/** Where the tool of a flow is called; `service` is the address of the service, without a slash at the end. */
export const mcpAddress = (service: string, flow: string): string => `${service}/api/v1/mcp/${flow}`;

/** The text of JSON with which a program finds the tool, to be pasted into its configuration. */
export function mcpConfig(client: McpClient, name: string, address: string, token: string): string {
  const server = { type: 'http', url: address, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ [client === 'vscode' ? 'servers' : 'mcpServers']: { [name]: server } }, null, 2);
}
