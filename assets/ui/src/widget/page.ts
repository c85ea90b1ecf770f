import { serviceAddress, withoutBase } from '../core/base';
import { ChatError, NO_ANSWER } from './client';
import { object } from './json';
import { Full } from './view/full';

/** The shared chat: the flow is in the address, the service is where the page came from. */
const flow = decode(/^\/chat(?:bot)?\/([^/]+)\/?$/.exec(withoutBase(location.pathname))?.[1] ?? '');
const apiHost = serviceAddress();
const host = document.getElementById('chat');

if (host) {
  document.body.style.margin = '0';
  // Its own words alone are on the page: they follow the browser.
  const { language } = navigator;
  document.documentElement.lang = /^de\b/i.test(language) ? language : 'en';
  new Full(host, { chatflowid: flow, apiHost, pageTitle: '', colorScheme: 'auto' }, mayOpen);
}

/** A flow whose link is switched off is there for its own people only, and nobody can hold a key to a page. */
async function mayOpen(): Promise<void> {
  const address = `${apiHost}/api/v1/public-chatflows/${encodeURIComponent(flow)}`;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok) throw new ChatError(answer?.status ?? NO_ANSWER);
  if (object(await answer.json()).apikeyid) throw new ChatError(401);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
