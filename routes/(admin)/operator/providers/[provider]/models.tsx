import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import {
  ModelChoicesForm,
  type ModelChoicesFormProps,
} from "@/components/models/ModelChoicesForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import {
  addModels,
  findConfig,
  loadModelChoices,
  type ModelChoice,
  parseModelChoices,
} from "@/lib/dashboard/models/model_choices.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { allowModels, loadAgentOffers, useInAgents } from "@/lib/dashboard/models/use_in_agents.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import type { ConnectionConfig } from "@/lib/schemas/connection_config.ts";
import { PROVIDER_IDS, type ProviderId } from "@/lib/schemas/provider_id.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

type Data = ModelChoicesFormProps & { name: string };

interface Connection {
  vendor: ProviderId;
  config: ConnectionConfig;
}

export const handler = define.handlers({
  async GET(ctx) {
    const found = await findConnection(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(await formData(ctx, found));
  },

  /** Tests the first chosen model, adds all, and switches the chosen agents to the first. */
  async POST(ctx) {
    const found = await findConnection(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const { entries: [first, ...others], choices } = parseModelChoices(form, found.vendor);
    const reject = async (problem: string, status: number) =>
      page(await formData(ctx, found, { typed: choices, problem }), { status });
    if (choices.some(({ issue }) => issue !== undefined)) {
      return await reject(t("Couldn't add the models. Fix: prices and sizes."), 400);
    }
    if (first === undefined) return await reject(t("Choose at least one model."), 400);
    const entries = [first, ...others] as const;
    const problem = await addModels(service, { ...found, entries });
    if (problem !== undefined) return await reject(problem, 422);
    const { tenant } = signedIn(ctx.state);
    await allowModels(service, { tenant, entries });
    await useInAgents(service, { tenant, ids: form.getAll("agent"), entry: first });
    return ctx.redirect(withFlashMessage("/home", "models_added"), 303);
  },
});

async function findConnection(
  { params, state: { service } }: Context<State>,
): Promise<Connection | undefined> {
  const vendor = PROVIDER_IDS.find((id) => id === params.provider);
  const config = vendor && await findConfig(service, vendor);
  return config && { vendor: vendor!, config };
}

async function formData(
  { state, url }: Context<State>,
  { vendor, config }: Connection,
  { typed = [], problem }: { typed?: readonly ModelChoice[]; problem?: string } = {},
): Promise<Data> {
  const { service } = state;
  const query = (url.searchParams.get("q") ?? "").trim().slice(0, 200);
  const [loaded, agents] = await Promise.all([
    loadModelChoices(service, { vendor, config, query }),
    loadAgentOffers(service, signedIn(state).tenant),
  ]);
  const names = new Set(typed.map(({ model }) => model));
  const choices = typed.length === 0 ? loaded.choices : [
    ...typed,
    ...loaded.choices.filter(({ model }) => !names.has(model))
      .map((choice) => ({ ...choice, chosen: false })),
  ];
  const name = config.name ?? defaultProviderLabel(vendor);
  return { ...loaded, choices, vendor, query, agents, problem, name };
}

export default define.page<typeof handler>(({ data: { name, ...form } }) => (
  <>
    <PageHeader
      title={t("Models of {name}", { name })}
      text={t("Choose the models that agents may use.")}
      back={{ href: "/operator/providers", label: t("Model providers") }}
    />
    <ModelChoicesForm {...form} />
  </>
));
