import { Full } from './view/full';

/** The shared chat: the flow is in the address, the service is where the page came from. */
const flow = /^\/chat(?:bot)?\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? '';
const host = document.getElementById('chat');

if (host) {
  document.body.style.margin = '0';
  new Full(host, { chatflowid: decode(flow), apiHost: location.origin, pageTitle: '', colorScheme: 'auto' });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
