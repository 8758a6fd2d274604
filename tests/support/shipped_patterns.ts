/** The regular expressions in browser scripts, and whether each takes linear time. */
// @ts-types="recheck"
import recheck from "recheck/lib/browser.js";
import type { TestService } from "./service.ts";
import { signedInCookie } from "./signed_in_cookie.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** A browser script as served. */
export interface ShippedScript {
  readonly name: string;
  readonly code: string;
}

/** The widget's files, the client, the dashboard's runtime and islands, and all that they import. */
export async function shippedScripts(service: TestService): Promise<ShippedScript[]> {
  const headers = { cookie: await signedInCookie(service) };
  const page = await (await service.fetch("/agents/new", { headers })).text();
  const folder = /\/_fresh\/js\/[^/"]+\//.exec(page)![0];
  const { panel, extras } = await (await service.fetch("/widget.v1.json")).json();
  const names = new Set([
    "/widget.v1.js",
    panel.pinned,
    extras.pinned,
    "/client.v1.js",
    `${folder}fresh-runtime.js`,
  ]);
  for await (const { name } of Deno.readDir(`${ROOT}islands`)) {
    names.add(folder + name.replace(".tsx", ".js"));
  }
  const scripts: ShippedScript[] = [];
  for (const name of names) {
    const answer = await service.fetch(name);
    const code = await answer.text();
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    scripts.push({ name, code });
    for (const [, path] of code.matchAll(/(?:from|import)\s*"(\.[^"]+\.js)"/g)) {
      names.add(new URL(path!, service.url + name).pathname);
    }
  }
  return scripts;
}

/** Every regular expression literal of a script, and each `new RegExp`. */
export function patternsIn({ name, code }: ShippedScript): string[] {
  const found: string[] = [];
  const rule: Deno.lint.Rule = {
    create: () => ({
      Literal(node) {
        if ("regex" in node && node.regex) found.push(`/${node.regex.pattern}/${node.regex.flags}`);
      },
      Identifier(node) {
        if (node.name === "RegExp") found.push("new RegExp");
      },
    }),
  };
  Deno.lint.runPlugin({ name: "patterns", rules: { patterns: rule } }, name, code);
  return found;
}

/**
 * Why a pattern is not known to take linear time, or undefined. Every alternative of one that is
 * applied again and again is judged by itself, and a sticky one as if it searched: a match ends one
 * search, but not the loop, and the searches that fail must not read the same text over and over.
 */
export function whyNotLinear(literal: string): string | undefined {
  const end = literal.lastIndexOf("/");
  const source = literal.slice(1, end);
  const flags = literal.slice(end + 1).replace(/[gy]/g, "");
  const parts = literal.slice(end).includes("g") ? alternatives(source) : [source];
  for (const part of parts) {
    const verdict = recheck.checkSync(part, flags, { checker: "automaton" });
    if (verdict.status === "vulnerable") return `${part}: ${verdict.complexity.summary}`;
    if (verdict.status === "unknown") return `${part}: not proved (${verdict.error.kind})`;
  }
}

/** The top-level alternatives of a pattern. */
export function alternatives(source: string): string[] {
  const parts = [""];
  let depth = 0;
  let inClass = false;
  for (const [token] of source.matchAll(/\\.|[^]/gu)) {
    if (token === "[") inClass = true;
    else if (token === "]") inClass = false;
    else if (!inClass && token === "(") depth++;
    else if (!inClass && token === ")") depth--;
    if (token === "|" && !inClass && depth === 0) parts.push("");
    else parts.push(parts.pop()! + token);
  }
  return parts;
}
