import { BACKENDS } from "../lib/dashboard/embed/backends.ts";
import { SESSION_ENDPOINT } from "../lib/dashboard/embed/embed_facts.ts";
import { scriptTag } from "../lib/schemas/script_tag.ts";

const PLACE = /(<!-- backends: made by "deno task docs" -->\n)[^]*(?=<!-- \/backends -->)/;
const BASE_URL = "https://chat.example.com";
const AGENT_ID = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";

/** The page with the same backends as the dashboard shows. Throws if it has no place for them. */
export function renderEmbedding(page: string): string {
  if (!PLACE.test(page)) throw new Error("docs/embedding.md has no place for the backends");
  const tag = scriptTag({
    src: `${BASE_URL}/widget.v1.0123456789ab.js`,
    integrity: "sha384-…",
    apiBase: BASE_URL,
    agentId: AGENT_ID,
    sessionEndpoint: SESSION_ENDPOINT,
  });
  const origin = "https://shop.example.com";
  const values = { baseUrl: BASE_URL, agentId: AGENT_ID, origin, tag };
  const sections = BACKENDS.map(({ name, file, code, use }) =>
    `\n**${name}**, \`${file}\`:\n\n${fenced(file, code(values))}\n${fenced(file, use)}`
  );
  return page.replace(PLACE, (_, start) => `${start}${sections.join("")}\n`);
}

function fenced(file: string, code: string): string {
  const language = file.split(".").at(-1)!.replace("mjs", "js");
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`;
}
