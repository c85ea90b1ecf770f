/** Files of flows, as they are written on export; the service reads them. */

type Json = Record<string, unknown>;

const NEVER = 'FLOWISE_CREDENTIAL_ID';
const SECRET_TYPES = ['password', 'file', 'folder'];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of an exported canvas: without credentials, passwords and files. */
export function exportFlow(flow: { name: string; type: string; flowData: string }): string {
  const canvas: unknown = JSON.parse(flow.flowData || '{"nodes":[],"edges":[]}');
  const rest = isObject(canvas) ? canvas : {};
  const nodes = Array.isArray(rest.nodes) ? rest.nodes.map(withoutSecrets) : [];
  return `${JSON.stringify({ name: flow.name, type: flow.type, ...rest, nodes }, null, 2)}\n`;
}

function withoutSecrets(node: unknown): unknown {
  if (!isObject(node) || !isObject(node.data)) return node;
  const data = node.data;
  const params = Array.isArray(data.inputParams) ? (data.inputParams as unknown[]).filter(isObject) : [];
  const secret = new Set(
    params.filter((param) => SECRET_TYPES.includes(String(param.type))).map((param) => String(param.name)),
  );
  const inputs = isObject(data.inputs)
    ? Object.fromEntries(Object.entries(data.inputs).filter(([name]) => !secret.has(name)))
    : data.inputs;
  const kept = Object.entries({ ...data, inputs }).filter(
    ([name, value]) => name !== 'credential' && value !== undefined,
  );
  return { ...node, data: withoutIds(Object.fromEntries(kept)) };
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== NEVER)
      .map(([name, inner]) => [name, withoutIds(inner)]),
  );
}
