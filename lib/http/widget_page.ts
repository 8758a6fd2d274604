import { serviceOrigins } from "../services/demo_agent.ts";
import type { Service } from "./service.ts";

/** Values of a script tag on one of the service's own pages. */
export interface OwnWidgetTag {
  src: string;
  integrity: string;
  apiBase: string;
}

/** The widget's script tag for a page of this service that was requested at `url`. */
export function ownWidgetTag(
  service: Pick<Service, "config" | "widget" | "baseUrl">,
  url: URL,
): OwnWidgetTag {
  const origin = ownOrigin(service, url);
  return {
    src: `${service.config.cdnUrl ?? origin}/widget.v1.js`,
    integrity: service.widget.integrity,
    apiBase: origin,
  };
}

/** The requested origin if it is one of this service's, else the base URL's, as behind a TLS proxy. */
export function ownOrigin({ baseUrl }: Pick<Service, "baseUrl">, url: URL): string {
  return serviceOrigins(baseUrl).includes(url.origin) ? url.origin : new URL(baseUrl).origin;
}

/** A strict policy, as real sites have it; `frames` says who may frame the page. */
export function widgetPagePolicy({ src, apiBase }: OwnWidgetTag, frames: "'none'" | "'self'") {
  return `default-src 'none'; script-src ${new URL(src).origin}; connect-src ${apiBase}; ` +
    `style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; ` +
    `frame-ancestors ${frames}; require-trusted-types-for 'script'; trusted-types service-widget`;
}
