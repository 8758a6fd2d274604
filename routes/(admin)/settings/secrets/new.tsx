import { page } from "fresh";
import { notSaved } from "@/components/FaultyFields.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { SecretForm, type SecretFormProps } from "@/components/SecretForm.tsx";
import { readForm } from "@/lib/http/dashboard/form.ts";
import { withNotice } from "@/lib/http/dashboard/notices.ts";
import { asksPassword, passwordAgain } from "@/lib/http/dashboard/password_again.ts";
import { signedIn } from "@/lib/http/dashboard/signed_in.ts";
import { MIN_SECRET_LENGTH, newToolSecretSchema } from "@/lib/wire/tool_secret.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const stored = await ctx.state.service.secrets.list(signedIn(ctx.state).tenant);
    // Only what is stored is filled in: a link somebody sends must not bring a domain along.
    const replaced = stored.find(({ name }) => name === ctx.url.searchParams.get("name"));
    return page<SecretFormProps>({
      name: replaced?.name ?? "",
      domains: replaced?.domains.join("\n") ?? "",
      asksPassword: asksPassword(ctx.state),
      faults: {},
    });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.system);
    const [name, domains] = [(form.get("name") ?? "").trim(), form.get("domains") ?? ""];
    const typed = { name, domains, asksPassword: asksPassword(ctx.state) };
    const input = newToolSecretSchema.safeParse({
      name,
      value: form.get("value") ?? "",
      domains: domains.split(/[\s,]+/).filter((entry) => entry !== ""),
    });
    if (!input.success) {
      const faults = faultsOf(input.error.issues);
      return page<SecretFormProps>({ ...typed, faults }, { status: 400 });
    }
    const refused = await passwordAgain(ctx, form);
    if (refused !== undefined) {
      return page<SecretFormProps>({ ...typed, faults: { password: refused.fault } }, refused);
    }
    await service.secrets.set(signedIn(ctx.state).tenant, input.data);
    return ctx.redirect(withNotice("/settings", "secret_set"), 303);
  },
});

function faultsOf(issues: readonly { path: PropertyKey[] }[]): SecretFormProps["faults"] {
  const wrong = new Set(issues.map((issue) => issue.path[0]));
  return {
    ...(wrong.has("name") && {
      name: "Use upper-case letters, digits and _, beginning with a letter; at most 64 characters.",
    }),
    ...(wrong.has("value") &&
      { value: `Enter a value of ${MIN_SECRET_LENGTH} to 8192 characters.` }),
    ...(wrong.has("domains") && {
      domains: "Enter 1 to 16 hosts, such as api.example.com or *.example.com.",
    }),
  };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title="Set a secret"
      refused={notSaved(data.faults)}
      back={{ href: "/settings", label: "Settings" }}
    />
    <SecretForm {...data} />
  </>
));
