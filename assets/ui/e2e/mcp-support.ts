/** A server of tools for the tests: MCP over HTTP, behind a header. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolHost {
  /** Host and port. */
  address: string;
  url: string;
  /** The value of `X-Key` of each request for the tools. */
  keys: (string | undefined)[];
  stop: () => Promise<void>;
}

const offered = [
  { name: 'find_parcel', description: 'Says where a parcel is.', inputSchema: { type: 'object' } },
  { name: 'price_of_parcel', description: 'Says what a parcel costs.', inputSchema: { type: 'object' } },
];

interface Asked {
  id?: number;
  method?: string;
}

/** Lists its tools to who sends `X-Key: opened` and refuses everybody else. */
export async function startToolHost(): Promise<ToolHost> {
  const keys: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const key = request.headers['x-key'];
      if (key !== 'opened') {
        keys.push(String(key));
        return response.writeHead(401).end();
      }
      const { id, method } = JSON.parse(text || '{}') as Asked;
      if (method === undefined || id === undefined) return response.writeHead(202).end();
      if (method === 'tools/list') keys.push(key);
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2025-03-26',
              capabilities: { tools: {} },
              serverInfo: { name: 't', version: '1' },
            }
          : { tools: offered };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): Promise<void> =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(() => done());
    });
  return { address, url: `http://${address}/mcp?team=parcels`, keys, stop };
}
