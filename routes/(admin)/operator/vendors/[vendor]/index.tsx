import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ConnectionForm, type ConnectionFormProps } from "@/components/ConnectionForm.tsx";
import { PROTOCOLS } from "@/lib/schemas/connection_config.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import {
  type ConnectionFormIssues,
  editableConnection,
  parseConnectionForm,
  readConnectionForm,
  testParsedConnection,
  toConnectionForm,
} from "@/lib/dashboard/models/connection_form.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import type { ProviderId } from "@/lib/schemas/provider_id.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const vendor = editableConnection(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(await formProps(ctx, { vendor, issues: {} }));
  },

  async POST(ctx) {
    const vendor = editableConnection(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const form = await readForm(ctx.req, ctx.state.service.runtime);
    const values = readConnectionForm(form);
    const reject = async (
      issues: ConnectionFormIssues,
      answer: { status: number; headers?: HeadersInit },
    ) => page({ ...await formProps(ctx, { vendor, issues }), values }, answer);
    const parsed = parseConnectionForm(values, (form.get("apiKey") ?? "").trim());
    if ("issues" in parsed) return await reject(parsed.issues, { status: 400 });
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return await reject({ password: rejected.message }, rejected);
    }
    const { service } = ctx.state;
    const message = await testParsedConnection(service, { vendor, ...parsed });
    if (message !== undefined) return await reject({ form: message }, { status: 422 });
    await service.connections.set(vendor, parsed.config);
    return ctx.redirect(withFlashMessage("/operator/vendors", "slot_saved"), 303);
  },
});

async function formProps(
  ctx: Context<State>,
  { vendor, issues }: { vendor: ProviderId; issues: ConnectionFormIssues },
): Promise<ConnectionFormProps> {
  const { catalogue, connections } = ctx.state.service;
  const [stored, entries] = await Promise.all([connections.list(), catalogue.listStored()]);
  const slot = stored.find((one) => one.vendor === vendor);
  const model = entries.find((entry) => entry.vendor === vendor)?.model;
  return {
    vendor,
    values: toConnectionForm(vendor, { slot, model }),
    issues,
    protocols: PROTOCOLS,
    stored: slot !== undefined,
    asksPassword: needsReauthentication(ctx.state),
  };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={defaultProviderLabel(data.vendor as ProviderId)}
      titlePrefix={unsavedTitle(data.issues)}
      back={{ href: "/operator/vendors", label: "Model providers" }}
    />
    <ConnectionForm {...data} />
  </>
));
