/**
 * The path before all addresses of the service: `/flows`, or nothing. The server says it in the document; the addresses of the
 * app's own links are without it.
 */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** The address people use for the service. */
export const serviceAddress = (): string => `${location.origin}${basePath}`;

/** The manual, which the service shows beside the page. */
export const manualAddress = `${basePath}/docs`;

/** An address of the app, from one of the browser. */
export const withoutBase = (path: string): string =>
  basePath && (path === basePath || path.startsWith(`${basePath}/`))
    ? path.slice(basePath.length) || '/'
    : path;
