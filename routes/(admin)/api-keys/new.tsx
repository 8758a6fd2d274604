import { page } from "fresh";
import { CodeBlock } from "@/components/CodeBlock.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { KEY_LIFETIMES, NewKeyForm, type NewKeyFormProps } from "@/components/NewKeyForm.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { readForm } from "@/lib/http/form.ts";
import { isEditor, signedIn } from "@/lib/http/signed_in.ts";
import { iso } from "@/lib/system.ts";
import { newApiKeySchema } from "@/lib/wire/api_key.ts";
import { define } from "@/utils.ts";

const DAY_MS = 86_400_000;

/** `secret` is the whole key: it exists in this one answer and nowhere else. */
type Data = { form: NewKeyFormProps } | { name: string; secret: string };

export const handler = define.handlers({
  async GET(ctx) {
    if (isEditor(signedIn(ctx.state))) return page<Data>({ form: {} });
    return await ctx.render(<ErrorView status={403} />, { status: 403 });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, ctx.state.service.system);
    const [name, scopes] = [form.get("name") ?? "", form.getAll("scopes")];
    const days = KEY_LIFETIMES.find(([value]) => value === form.get("days"))?.[0] ?? "";
    const expiresAt = iso(service.system.now() + Number(days) * DAY_MS);
    const input = newApiKeySchema.safeParse({ name, scopes, ...(days && { expiresAt }) });
    if (!input.success) {
      const wrong = new Set(input.error.issues.map((issue) => issue.path[0]));
      const faults = {
        ...(wrong.has("name") && { name: "Enter a name of 1 to 128 characters." }),
        ...(wrong.has("scopes") && { scopes: "Choose at least one scope." }),
      };
      return page<Data>({ form: { name, scopes, days, faults } }, { status: 400 });
    }
    const { secret } = await service.apiKeys.create(signedIn(ctx.state).tenant, input.data);
    return page<Data>({ name: input.data.name, secret }, { status: 201 });
  },
});

export default define.page<typeof handler>(({ data }) =>
  "secret" in data ? <ShownOnce name={data.name} secret={data.secret} /> : (
    <>
      <PageHeader title="New API key" back={{ href: "/api-keys", label: "API keys" }} />
      <div class="card narrow">
        <NewKeyForm {...data.form} />
      </div>
    </>
  )
);

function ShownOnce({ name, secret }: { name: string; secret: string }) {
  return (
    <>
      <PageHeader title={`Key “${name}” created`} back={{ href: "/api-keys", label: "API keys" }} />
      <div class="card narrow stack">
        <Notice kind="warning">
          Copy the key now. It is shown this once: only a hash of it is stored.
        </Notice>
        <CodeBlock label="API key" code={secret} wrapped />
        <p class="help">
          Keep it on your server, as a secret. Whoever has it acts for you within its scopes.
        </p>
        <div class="form-actions">
          <a class="button button-primary" href="/api-keys" aria-current="false">
            I have copied it
          </a>
        </div>
      </div>
    </>
  );
}
