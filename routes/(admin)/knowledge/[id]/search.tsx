import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { BaseHeader } from "@/components/knowledge/BaseHeader.tsx";
import { PassageCard } from "@/components/knowledge/PassageCard.tsx";
import { SearchForm } from "@/components/SearchForm.tsx";
import { findKnowledgeBase } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { KNOWLEDGE_BOUNDS } from "@/lib/schemas/limits.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What an agent would find in a knowledge base, and why. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findKnowledgeBase(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { base, ref } = found;
    const query = cleaned(ctx.url.searchParams.get("q") ?? "");
    const passages = query === ""
      ? undefined
      : await ctx.state.service.knowledge.explainSearch(ref, { query });
    return page({ base, query, passages, editor: isEditor(signedIn(ctx.state)) });
  },
});

/** The query of the address may hold anything: make it a well-formed text of limited length. */
function cleaned(query: string): string {
  // deno-lint-ignore no-control-regex
  const text = query.toWellFormed().replace(/[\0-\x1f\x7f]+/g, " ").trim();
  return text.slice(0, KNOWLEDGE_BOUNDS.queryLength).toWellFormed();
}

export default define.page<typeof handler>(({ data }) => {
  const { base, query, passages, editor } = data;
  return (
    <>
      <BaseHeader base={base} tab="search" editor={editor} />
      <SearchForm query={query} label={t("Search as an agent would")} />
      <p class="prose found-help">
        {t(
          "The passages that an agent gets for this query, best first. By default, it gets the first {count}.",
          { count: KNOWLEDGE_BOUNDS.defaultPassages },
        )}
      </p>
      {passages?.length === 0 && (
        <EmptyState
          icon="knowledge"
          title={t("No passages found")}
          text={t(
            "No processed document has any of these words. Try the words that your documents use.",
          )}
        />
      )}
      {passages !== undefined && passages.length > 0 && (
        <ol class="found">
          {passages.map((passage, n) => (
            <PassageCard
              key={`${passage.documentId} ${passage.position}`}
              base={base.id}
              passage={passage}
              best={passages[0]!.score}
              given={n < KNOWLEDGE_BOUNDS.defaultPassages}
            />
          ))}
        </ol>
      )}
    </>
  );
});
