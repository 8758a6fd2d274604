import { type Context, page } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { Notice, PageNotice } from "@/components/Notice.tsx";
import { RunningPage } from "@/components/RunningPage.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { GroupActions } from "@/components/unanswered/GroupActions.tsx";
import { QuestionCard } from "@/components/unanswered/QuestionCard.tsx";
import { describeReasons, StateBadge } from "@/components/unanswered/UnansweredList.tsx";
import { WriteAnswerForm } from "@/components/unanswered/WriteAnswerForm.tsx";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { answerStatus, NEEDS_ANSWER } from "@/lib/dashboard/unanswered/answer_status.ts";
import {
  readWrittenAnswer,
  writeAnswer,
  type WriteAnswerIssues,
  type WriteAnswerValues,
} from "@/lib/dashboard/unanswered/write_answer.ts";
import { undefinedIfNotFound, uuidParam } from "@/lib/http/request_params.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { cutText } from "@/lib/platform/cut_text.ts";
import { MAX_QUOTAS } from "@/lib/schemas/limits.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { translateMessage } from "@/lib/dashboard/texts/service_message.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    return page(data);
  },

  /** Dismisses the group, makes a document as its answer, or asks its questions again. */
  async POST(ctx) {
    const { runtime, unanswered } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const { tenant, id } = signedIn(ctx.state);
    const { pathname } = ctx.url;
    const data = await readPage(ctx);
    if (data === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const name = { tenant, runId: data.report.id };
    if (form.get("action") === "dismiss") {
      await undefinedIfNotFound(() => unanswered.dismiss(name));
      return ctx.redirect(withFlashMessage("/unanswered", "question_dismissed"), 303);
    }
    if (form.get("action") === "ask") {
      try {
        await unanswered.askAgain({ ...name, source: { kind: "user", id } });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return page({ ...data, problem: translateMessage(error.message) }, {
          status: error.status,
        });
      }
      return ctx.redirect(pathname, 303);
    }
    const values = readWrittenAnswer(form);
    const rejected = await writeAnswer(unanswered, name, values);
    if (rejected !== undefined) {
      return page({ ...data, values, issues: rejected.issues }, { status: rejected.status });
    }
    return ctx.redirect(withFlashMessage(pathname, "answer_written"), 303);
  },
});

async function readPage(ctx: Context<State>) {
  const { agents, knowledge, runtime, unanswered } = ctx.state.service;
  const user = signedIn(ctx.state);
  const { tenant } = user;
  const report = await undefinedIfNotFound(() =>
    unanswered.get({ tenant, runId: uuidParam(ctx.params.runId) })
  );
  if (report === undefined) return undefined;
  const { agentId, knowledgeBaseId: base, documentId: id } = report;
  const [agent, bases, document] = await Promise.all([
    undefinedIfNotFound(() => agents.get(tenant, agentId)),
    knowledge.list(tenant, { limit: MAX_QUOTAS.knowledgeBases }),
    base === undefined || id === undefined
      ? undefined
      : undefinedIfNotFound(() => knowledge.getDocument({ tenant, base, id })),
  ]);
  const values: WriteAnswerValues = {
    title: cutText(report.question, 0, 120),
    content: "",
    knowledgeBaseId: agent?.knowledgeBaseId ?? "",
  };
  const issues: WriteAnswerIssues = {};
  return {
    ...{ report, document, values, issues, editor: isEditor(user), now: runtime.now() },
    status: answerStatus(report, document),
    agentName: agent?.name,
    agentHasBase: agent?.knowledgeBaseId !== undefined,
    bases: bases.data.map(({ id, name }) => ({ id, name })),
    problem: undefined as string | undefined,
  };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { report, document, status, values, issues, editor, now, agentName, problem } = data;
  const { agentHasBase, bases } = data;
  return (
    <>
      <PageHeader
        title={t("Unanswered question")}
        titlePrefix={unsavedTitle(issues)}
        back={{ href: "/unanswered", label: t("Unanswered") }}
      />
      <PageNotice notice={flashMessageOf(url)} />
      {(status === "asking" || status === "processing") && <RunningPage pathname={url.pathname} />}
      <div class="sections">
        {problem !== undefined && <Notice kind="warning">{problem}</Notice>}
        <p class="gap-question" dir="auto">
          {report.question || t("This message can't be decrypted")}
        </p>
        <p class="prose">
          <bdi>{agentName ?? t("Deleted agent")}</bdi> ·{" "}
          {report.count === 1 ? t("asked once") : t("asked {count} times", { count: report.count })}
          {" "}
          · {describeReasons(report)} <StateBadge state={report.state} />
        </p>
        <GroupActions {...{ report, document, status, editor }} action={url.pathname} />
        {editor && NEEDS_ANSWER.has(status) && (
          <WriteAnswerForm action={url.pathname} {...{ values, issues, bases, agentHasBase }} />
        )}
        <section class="stack" aria-labelledby="questions">
          <h2 id="questions">{t("Questions")}</h2>
          {report.questions.map((question) => (
            <QuestionCard key={question.runId} question={question} now={now} />
          ))}
        </section>
      </div>
    </>
  );
});
