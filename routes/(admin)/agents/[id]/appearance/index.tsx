import { page } from "fresh";
import { AgentHeader } from "@/components/AgentHeader.tsx";
import { AppearanceForm } from "@/components/appearance/AppearanceForm.tsx";
import { EmbedCard } from "@/components/appearance/EmbedCard.tsx";
import { ShareCard } from "@/components/appearance/ShareCard.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import AppearancePreview from "@/islands/AppearancePreview.tsx";
import {
  readAppearanceValues,
  toAppearanceValues,
} from "@/lib/dashboard/appearance/appearance_form.ts";
import {
  type RejectedAppearance,
  saveAppearance,
} from "@/lib/dashboard/appearance/save_appearance.ts";
import { findAgent, parseVersion } from "@/lib/dashboard/agents/find_agent.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { offersOf } from "@/lib/schemas/appearance.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Service } from "@/lib/http/service.ts";
import type { SignedInUser } from "@/lib/services/signed_in_user.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    ctx.state.framesOwnPages = true;
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const values = toAppearanceValues(agent.appearance);
    return page(await pageData(ctx.state.service, signedIn(ctx.state), { agent, values }));
  },

  async POST(ctx) {
    ctx.state.framesOwnPages = true;
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    const values = readAppearanceValues(form);
    const opened = parseVersion(form.get("version")) ?? agent.version;
    const rejected = await saveAppearance(service.agents, {
      ...{ tenant: user.tenant, agent, values, opened },
    });
    if (rejected === undefined) {
      const path = `/agents/${agent.id}/appearance`;
      return ctx.redirect(withFlashMessage(path, "agent_saved"), 303);
    }
    const data = await pageData(service, user, { agent, values, rejected });
    return page(data, { status: rejected.status });
  },
});

async function pageData(
  { shares, baseUrl }: Pick<Service, "shares" | "baseUrl">,
  user: SignedInUser,
  { agent, values, rejected }: {
    agent: Agent;
    values: ReturnType<typeof toAppearanceValues>;
    rejected?: RejectedAppearance;
  },
) {
  const share = await shares.idOf({ tenant: user.tenant, agentId: agent.id });
  return {
    ...{ agent, values },
    issues: rejected?.issues ?? {},
    editor: isEditor(user),
    user: user.id,
    shareUrl: share === undefined ? undefined : `${baseUrl}/chat/${share}`,
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { agent, values, issues, editor, shareUrl, user } = data;
  const path = `/agents/${agent.id}/appearance`;
  return (
    <>
      <AgentHeader
        agent={agent}
        tab="appearance"
        editor={editor}
        titlePrefix={unsavedTitle({ ...issues })}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="appearance">
        <div class="stack">
          <AppearanceForm
            action={path}
            agentId={agent.id}
            user={user}
            saved={url.searchParams.get("notice") === "agent_saved"}
            agentName={agent.name}
            version={agent.version}
            readOnly={!editor}
            {...{ values, issues }}
          />
          <ShareCard path={path} url={shareUrl} editor={editor} />
          <EmbedCard path={`/agents/${agent.id}/embed`} />
        </div>
        <AppearancePreview
          src={`${path}/preview`}
          form="agent-form"
          offers={offersOf(agent)}
        />
      </div>
    </>
  );
});
