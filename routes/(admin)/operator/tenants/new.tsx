import { page } from "fresh";
import { Field } from "@/components/Field.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PasswordAgain } from "@/components/PasswordAgain.tsx";
import { ShownLink } from "@/components/ShownLink.tsx";
import { normalizeEmail } from "@/lib/accounts/credential_rules.ts";
import { joinLink } from "@/lib/http/dashboard/account_links.ts";
import { readForm } from "@/lib/http/dashboard/form.ts";
import { asksPassword, passwordAgain } from "@/lib/http/dashboard/password_again.ts";
import { signedIn } from "@/lib/http/dashboard/signed_in.ts";
import { define } from "@/utils.ts";

const BACK = { href: "/operator/tenants", label: "Tenants" };
const MAX_NAME = 128;

interface Form {
  name: string;
  email: string;
  asksPassword: boolean;
  faults: { name?: string; email?: string; password?: string };
}
type Data = Form | { name: string; link: string };

export const handler = define.handlers({
  GET(ctx) {
    return page<Data>({ name: "", email: "", asksPassword: asksPassword(ctx.state), faults: {} });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.system);
    const [name, email] = [(form.get("name") ?? "").trim(), form.get("email") ?? ""];
    const typed = { name, email, asksPassword: asksPassword(ctx.state) };
    const faults = faultsOf(name, email);
    if (Object.keys(faults).length > 0) return page<Data>({ ...typed, faults }, { status: 400 });
    const refused = await passwordAgain(ctx, form);
    if (refused !== undefined) {
      return page<Data>({ ...typed, faults: { password: refused.fault } }, refused);
    }
    const tenant = await service.tenants.create(name);
    const owner = { email, role: "owner" } as const;
    const invited = await service.team.invite(tenant.id, owner, signedIn(ctx.state));
    if (!("token" in invited)) throw new Error("a new tenant has members already");
    const link = joinLink(service.baseUrl, invited.token);
    return page<Data>({ name, link }, { status: 201 });
  },
});

function faultsOf(name: string, email: string): Form["faults"] {
  const named = name !== "" && name.length <= MAX_NAME;
  return {
    ...(!named && { name: `Enter a name of 1 to ${MAX_NAME} characters.` }),
    ...(normalizeEmail(email) === undefined && { email: "Enter an e-mail address." }),
  };
}

export default define.page<typeof handler>(({ data }) =>
  "link" in data
    ? (
      <ShownLink
        title={`Tenant “${data.name}” created`}
        text="Send it to the tenant's first owner. It works once, for 7 days."
        link={data.link}
        back={BACK}
      />
    )
    : <NewTenantForm {...data} />
);

function NewTenantForm({ name, email, asksPassword, faults }: Form) {
  return (
    <>
      <PageHeader title="New tenant" back={BACK} />
      <form method="post" action="/operator/tenants/new" class="card narrow stack">
        <Field name="name" label="Name" fault={faults.name}>
          {(attributes) => (
            <input
              type="text"
              {...attributes}
              value={name}
              required
              maxLength={MAX_NAME}
              autocomplete="off"
            />
          )}
        </Field>
        <Field
          name="email"
          label="E-mail of its first owner"
          fault={faults.email}
          help="Nothing is sent: you get a link to hand over yourself."
        >
          {(attributes) => (
            <input type="email" {...attributes} value={email} required autocomplete="off" />
          )}
        </Field>
        <PasswordAgain asked={asksPassword} fault={faults.password} />
        <div class="form-actions">
          <button class="button button-primary" type="submit">Create tenant</button>
          <a class="button" href="/operator/tenants" aria-current="false">Cancel</a>
        </div>
      </form>
    </>
  );
}
