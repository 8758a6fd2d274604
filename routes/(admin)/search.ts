import { signedIn } from "@/lib/dashboard/authorization.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import type { Command } from "@/lib/dashboard/navigation.ts";
import { MAX_QUOTAS } from "@/lib/schemas/limits.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";

const LONGEST_QUERY = 200;
/** Of each kind. */
const MOST_FOUND = 5;

/** What the command palette finds by name: `?q=` in agents and knowledge bases of the tenant. */
export const handler = define.handlers({
  GET: jsonHandler(async (ctx) => {
    const { agents, knowledge } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const query = (ctx.url.searchParams.get("q") ?? "").trim().slice(0, LONGEST_QUERY);
    if (query === "") return Response.json({ commands: [] });
    const [found, bases] = await Promise.all([
      agents.search(tenant, { query, limit: MOST_FOUND }),
      knowledge.list(tenant, { limit: MAX_QUOTAS.knowledgeBases }),
    ]);
    const words = query.toLowerCase().split(/\s+/);
    const commands: Command[] = [
      ...found.data.map(({ id, name }) => ({
        kind: t("Agent"),
        title: name,
        href: `/agents/${id}`,
      })),
      ...bases.data
        .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
        .slice(0, MOST_FOUND)
        .map(({ id, name }) => ({ kind: t("Knowledge"), title: name, href: `/knowledge/${id}` })),
    ];
    return Response.json({ commands });
  }),
});
