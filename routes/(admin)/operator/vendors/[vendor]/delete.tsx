import { page } from "fresh";
import { ConfirmPage } from "@/components/ConfirmPage.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { editableConnection } from "@/lib/dashboard/models/connection_form.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import type { ProviderId } from "@/lib/schemas/provider_id.ts";
import { define } from "@/utils.ts";

interface Data {
  vendor: ProviderId;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const vendor = editableConnection(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page<Data>({ vendor, password: { asked: needsReauthentication(ctx.state) } });
  },

  async POST(ctx) {
    const vendor = editableConnection(ctx);
    if (vendor === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
    if (rejected !== undefined) {
      return page<Data>({ vendor, password: { asked: true, issue: rejected.message } }, rejected);
    }
    await service.connections.remove(vendor);
    return ctx.redirect(withFlashMessage("/operator/vendors", "slot_emptied"), 303);
  },
});

export default define.page<typeof handler>(({ data: { vendor, password } }) => (
  <ConfirmPage
    title="Remove connection"
    back={{ href: `/operator/vendors/${vendor}`, label: defaultProviderLabel(vendor) }}
    action={`/operator/vendors/${vendor}/delete`}
    question={`Remove the connection to ${defaultProviderLabel(vendor)}?`}
    confirm="Remove connection"
    issues={{ own_password: password.issue }}
    fields={<ReauthField {...password} />}
  >
    <p>Its API key is deleted, and messages to agents that use its models will fail.</p>
  </ConfirmPage>
));
