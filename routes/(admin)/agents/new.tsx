import { page } from "fresh";
import { AgentForm } from "@/components/AgentForm.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import {
  type AgentFormValues,
  NEW_AGENT,
  readAgentForm,
  toAgentBody,
} from "@/lib/http/agent_form.ts";
import type { AgentFormFaults } from "@/lib/http/agent_form_faults.ts";
import { readForm } from "@/lib/http/form.ts";
import { modelGroups } from "@/lib/http/model_groups.ts";
import { withNotice } from "@/lib/http/notices.ts";
import { saveAgent } from "@/lib/http/save_agent.ts";
import { isEditor, signedIn } from "@/lib/http/signed_in.ts";
import type { CatalogueEntry } from "@/lib/storage/catalogue_store.ts";
import { define } from "@/utils.ts";

interface Data {
  values: AgentFormValues;
  faults: AgentFormFaults;
  models: { label: string; models: CatalogueEntry[] }[];
}

export const handler = define.handlers({
  async GET(ctx) {
    const user = signedIn(ctx.state);
    if (!isEditor(user)) return await ctx.render(<ErrorView status={403} />, { status: 403 });
    const models = await modelGroups(ctx.state.service, user.tenant);
    const first = models[0]?.models[0];
    const model = first === undefined ? "" : `${first.vendor}/${first.model}`;
    return page<Data>({ values: { ...NEW_AGENT, model }, faults: {}, models });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const values = readAgentForm(await readForm(ctx.req, ctx.state.service.system));
    const saved = await saveAgent(
      values,
      () => service.agents.create(tenant, toAgentBody(values)),
    );
    if ("agent" in saved) {
      return ctx.redirect(withNotice(`/agents/${saved.agent.id}`, "agent_created"), 303);
    }
    const models = await modelGroups(service, tenant);
    return page<Data>({ values, faults: saved.faults, models }, { status: saved.status });
  },
});

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader title="New agent" back={{ href: "/agents", label: "Agents" }} />
    <AgentForm {...data} action="/agents/new" submit="Create agent" readOnly={false} />
  </>
));
