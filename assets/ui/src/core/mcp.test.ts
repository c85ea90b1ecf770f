import { expect, it } from 'vitest';
import { isToolName, mcpAddress, mcpConfig, toolNameOf } from './mcp';

it('names the tool of a flow as the service takes it', () => {
  expect(toolNameOf('Where is my order?')).toBe('where_is_my_order');
  expect(toolNameOf('Über Größe')).toBe('uber_gro_e');
  expect(toolNameOf('答え')).toBe('flow');
  for (const name of ['Where is my order?', 'x'.repeat(90), '__', 'A - B']) {
    expect(isToolName(toolNameOf(name)), name).toBe(true);
  }
});

it('knows the names that are no names of tools', () => {
  expect(['orders', 'a-B_9', 'x'.repeat(64)].every(isToolName)).toBe(true);
  expect(['', 'a b', 'größe', 'x'.repeat(65), 'a.b'].some(isToolName)).toBe(false);
});

it('is configuration that a program reads, under the name that it looks for', () => {
  const address = mcpAddress('https://flows.example', 'f1');
  const server = {
    type: 'http',
    url: 'https://flows.example/api/v1/mcp/f1',
    headers: { Authorization: 'Bearer fkm_secret' },
  };
  const read = (client: 'most' | 'vscode'): unknown =>
    JSON.parse(mcpConfig(client, 'orders', address, 'fkm_secret'));
  expect(read('most')).toEqual({ mcpServers: { orders: server } });
  expect(read('vscode')).toEqual({ servers: { orders: server } });
});
