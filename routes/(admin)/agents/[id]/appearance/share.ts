import { HttpError } from "fresh";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { define } from "@/utils.ts";

/** Switches the agent's share link on, with a new address, or off. */
export const handler = define.handlers({
  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) throw new HttpError(404);
    const { service } = ctx.state;
    const isOff = (await readForm(ctx.req, service.runtime)).get("state") === "off";
    const share = { tenant: signedIn(ctx.state).tenant, agentId: agent.id };
    if (isOff) await service.shares.delete(share, agent.name);
    else await service.shares.create(share, agent.name);
    const path = `/agents/${agent.id}/appearance`;
    return ctx.redirect(withFlashMessage(path, isOff ? "share_off" : "share_on"), 303);
  },
});
