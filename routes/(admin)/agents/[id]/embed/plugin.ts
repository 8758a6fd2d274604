import { HttpError } from "fresh";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { findBackend } from "@/lib/dashboard/embed/backends.ts";
import { embedFacts } from "@/lib/dashboard/embed/embed_facts.ts";
import { define } from "@/utils.ts";

/** The WordPress plugin as a file. */
export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) throw new HttpError(404);
    const { code, file } = findBackend("wordpress");
    return new Response(code(embedFacts(ctx.state.service, agent)), {
      headers: {
        "content-type": "application/x-php",
        "content-disposition": `attachment; filename="${file}"`,
        "cache-control": "no-store",
      },
    });
  },
});
