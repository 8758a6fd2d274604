import type { Service } from "../../http/service.ts";

/** The values of the script tag. */
export interface EmbedFacts {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from. */
  scriptBase: string;
  integrity: string;
  /** The content hash in the name of the immutable copy. */
  hash12: string;
}

export function embedFacts({ baseUrl, config, widget }: Service): EmbedFacts {
  const { integrity, hash12 } = widget;
  return { baseUrl, scriptBase: config.cdnUrl ?? baseUrl, integrity, hash12 };
}
