import { page } from "fresh";
import { DoctorForm } from "@/components/DoctorForm.tsx";
import { DoctorReport } from "@/components/DoctorReport.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { findAgent } from "@/lib/dashboard/agents/find_agent.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { LimitError } from "@/lib/billing/limit_error.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { doctorBodySchema, type DoctorReport as Report } from "@/lib/schemas/doctor.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface Data {
  agent: Agent;
  origin: string;
  tag: string;
  report?: Report;
  /** Why there is no report. */
  rejected?: string;
}

export const handler = define.handlers({
  async GET(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const origin = ctx.url.searchParams.get("origin") ?? agent.allowedOrigins?.[0] ?? "";
    return page<Data>({ agent, origin: origin.slice(0, 512), tag: "" });
  },

  async POST(ctx) {
    const agent = await findAgent(ctx);
    if (agent === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const [origin, tag] = [form.get("origin")?.trim() ?? "", form.get("tag")?.trim() ?? ""];
    const asked = { agentId: agent.id, origin, ...(tag && { tag }) };
    const given = doctorBodySchema.safeParse(asked);
    if (!given.success) {
      const rejected = t("Enter the page's origin, and a tag of at most 16,384 characters.");
      return page<Data>({ agent, origin, tag, rejected }, { status: 400 });
    }
    try {
      const { tenant } = signedIn(ctx.state);
      const report = await service.doctor.diagnose(tenant, agent, given.data);
      return page<Data>({ agent, origin, tag, report });
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
      const rejected = t("You can run six checks a minute. Try again in a moment.");
      return page<Data>({ agent, origin, tag, rejected }, { status: 429 });
    }
  },
});

export default define.page<typeof handler>(({ data }) => {
  const { agent, origin, tag, report, rejected } = data;
  return (
    <>
      <PageHeader
        title={t("Embed doctor")}
        text={t("Finds out why the widget does not appear or answer on a page.")}
        back={{ href: `/agents/${agent.id}/embed`, label: agent.name }}
      />
      {rejected && <Notice kind="error">{rejected}</Notice>}
      <div class="narrow stack">
        {report && <DoctorReport {...report} />}
        <div class="card">
          <DoctorForm
            action={`/agents/${agent.id}/embed/doctor`}
            origin={origin}
            tag={tag}
            origins={agent.allowedOrigins ?? []}
          />
        </div>
      </div>
    </>
  );
});
