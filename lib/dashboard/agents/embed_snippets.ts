import type { Service } from "../../http/service.ts";

export interface EmbedFacts {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  scriptBase: string;
  integrity: string;
  /** In the name of the immutable copy. */
  hash12: string;
}

export function embedFacts({ baseUrl, config, widget }: Service): EmbedFacts {
  const { integrity, hash12 } = widget;
  return { baseUrl, scriptBase: config.cdnUrl ?? baseUrl, integrity, hash12 };
}
