import { page } from "fresh";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { SecretForm, type SecretFormProps } from "@/components/SecretForm.tsx";
import type { AgentService } from "@/lib/services/agent_service.ts";
import { loadAgentChoices } from "@/lib/dashboard/agents/agent_names.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { unlessOverQuota } from "@/lib/dashboard/quota_message.ts";
import { withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { isUuid } from "@/lib/http/request_params.ts";
import { MIN_SECRET_LENGTH, newToolSecretSchema } from "@/lib/schemas/tool_secret.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { agents, secrets } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const stored = await secrets.list(tenant);
    // Prefill stored values only: a link must not be able to add a domain.
    const replaced = stored.find(({ name }) => name === ctx.url.searchParams.get("name"));
    return page<SecretFormProps>({
      name: replaced?.name ?? "",
      domains: replaced?.domains.join("\n") ?? "",
      agentId: replaced?.agentId ?? "",
      offered: await loadAgentChoices(agents, { tenant, chosen: replaced?.agentId ?? "" }),
      asksPassword: needsReauthentication(ctx.state),
      issues: {},
    });
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const form = await readForm(ctx.req, service.runtime);
    const [name, domains] = [(form.get("name") ?? "").trim(), form.get("domains") ?? ""];
    const agent = await chosenAgent(form.get("agentId") ?? "", { tenant, agents: service.agents });
    const offered = await loadAgentChoices(service.agents, { tenant, chosen: agent?.id ?? "" });
    const agentId = agent?.id ?? "";
    const typed = {
      name,
      domains,
      agentId,
      offered,
      asksPassword: needsReauthentication(ctx.state),
    };
    const input = newToolSecretSchema.safeParse({
      name,
      value: form.get("value") ?? "",
      domains: domains.split(/[\s,]+/).filter((entry) => entry !== ""),
      ...agent?.name !== undefined && { agentId: agent.id },
    });
    const isGone = agent !== undefined && agent.name === undefined;
    if (!input.success || isGone) {
      const issues = {
        ...toIssues(input.error?.issues ?? []),
        ...isGone &&
          { agentId: t("This agent no longer exists. Choose another one, or all agents.") },
      };
      return page<SecretFormProps>({ ...typed, issues }, { status: 400 });
    }
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      return page<SecretFormProps>({ ...typed, issues: { password: rejected.message } }, rejected);
    }
    const set = await unlessOverQuota(() => service.secrets.set(tenant, input.data), {
      withoutValue: true,
    });
    if ("full" in set) {
      const asksPassword = needsReauthentication(ctx.state);
      const issues = { form: set.full };
      return page<SecretFormProps>({ ...typed, asksPassword, issues }, { status: 403 });
    }
    return ctx.redirect(withFlashMessage("/settings", "secret_set"), 303);
  },
});

/** The form's agent; its name is undefined if it does not exist. Undefined for a blank id. */
async function chosenAgent(
  id: string,
  { tenant, agents }: { tenant: string; agents: Pick<AgentService, "find"> },
): Promise<{ id: string; name: string | undefined } | undefined> {
  if (id === "") return undefined;
  if (!isUuid(id)) return { id: "", name: undefined };
  return { id, name: (await agents.find(tenant, id))?.name };
}

function toIssues(issues: readonly { path: PropertyKey[] }[]): SecretFormProps["issues"] {
  const wrong = new Set(issues.map((issue) => issue.path[0]));
  return {
    ...(wrong.has("name") && {
      name: t(
        "Use uppercase letters, digits and _, starting with a letter. At most 64 characters.",
      ),
    }),
    ...(wrong.has("value") &&
      {
        value: t("Enter a value of {min} to 8,192 characters.", {
          min: MIN_SECRET_LENGTH,
        }),
      }),
    ...(wrong.has("domains") && {
      domains: t("Enter 1 to 16 hosts, like api.example.com or *.example.com."),
    }),
  };
}

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader
      title={t("Set secret")}
      titlePrefix={unsavedTitle(data.issues)}
      back={{ href: "/settings", label: t("Settings") }}
    />
    <SecretForm {...data} />
  </>
));
