import type { Service } from "../http/service.ts";

/** What an operator wants to know of a process at a glance; no secret is among it. */
export function systemFacts(
  { baseUrl, config, widget, demoAgent }: Pick<
    Service,
    "baseUrl" | "config" | "widget" | "demoAgent"
  >,
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
    ["Client addresses", describeAddressSource(config.trustedProxyHops)],
    ["Private egress allowed", config.egressAllow.join(", ") || "none"],
    ["Log level", config.logLevel],
  ];
}

/** A KV server's address may hold a credential, so its host alone is told. */
function describeStore({ kvUrl, kvPath, onDenoDeploy }: Service["config"]): string {
  if (kvUrl !== undefined) return `KV server ${new URL(kvUrl).host}`;
  return onDenoDeploy ? "the platform's KV" : kvPath;
}

function describeAddressSource(hops: number): string {
  if (hops === 0) return "of the connection";
  return hops === 1 ? "told by 1 proxy" : `told by ${hops} proxies`;
}
