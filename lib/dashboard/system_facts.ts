import type { Service } from "../http/service.ts";

/** Facts about this process for operators; contains no secrets. */
export function systemFacts(
  { baseUrl, config, widget, demoAgent }: Service,
  rssBytes: number,
): [label: string, value: string][] {
  return [
    ["Address", baseUrl],
    ["Widget served from", config.cdnUrl ?? baseUrl],
    ["Widget release", widget.hash12],
    ["Store", describeStore(config)],
    ["Deno", Deno.version.deno],
    ["Memory", `${Math.round(rssBytes / 1_048_576)} MiB`],
    ["Demo page", demoAgent === undefined ? "off" : "on"],
    ["Demo model", config.demoModel ? "on" : "off"],
    ["Client IP", describeAddressSource(config.trustedProxyHops)],
    ["Private egress allowed", config.egressAllow.join(", ") || "none"],
    ["Log level", config.logLevel],
  ];
}

/** Shows only the host of a KV server, because its URL may contain a credential. */
function describeStore({ kvUrl, kvPath, onDenoDeploy }: Service["config"]): string {
  if (kvUrl !== undefined) return `KV server ${new URL(kvUrl).host}`;
  return onDenoDeploy ? "the platform's KV" : kvPath;
}

function describeAddressSource(hops: number): string {
  if (hops === 0) return "from the connection";
  return hops === 1 ? "from 1 proxy" : `from ${hops} proxies`;
}
