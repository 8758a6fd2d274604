import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { StoredPassages } from "@/components/knowledge/StoredPassages.tsx";
import { findDocument } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { PASSAGES_PER_PAGE } from "@/lib/dashboard/knowledge/passage_path.ts";
import { KNOWLEDGE_BOUNDS } from "@/lib/schemas/limits.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What was read from a document, as search and agents have it. */
export const handler = define.handlers({
  async GET(ctx) {
    const found = await findDocument(ctx);
    if (found === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const from = positionParam(ctx.url.searchParams.get("from"));
    const slice = { from, limit: PASSAGES_PER_PAGE };
    const { passages, more } = await ctx.state.service.knowledge.readPassages(found.ref, slice);
    return page({ ...found, from, passages, more });
  },
});

/** The first passage if the address has no position. */
function positionParam(text: string | null): number {
  const position = Number(text ?? "0");
  const isValid = Number.isSafeInteger(position) && position >= 0 &&
    position < KNOWLEDGE_BOUNDS.chunksPerBase;
  return isValid ? position : 0;
}

export default define.page<typeof handler>(({ data }) => {
  const { base, document, passages, from, more } = data;
  return (
    <>
      <PageHeader
        title={document.title}
        back={{ href: `/knowledge/${base.id}`, label: base.name }}
      />
      {document.url && (
        <p>
          <a href={document.url} rel="noreferrer nofollow">{document.url}</a>
        </p>
      )}
      {passages.length === 0
        ? (
          <EmptyState
            icon="knowledge"
            title={t("No passages")}
            text={t("The document's passages are here once it has been processed.")}
          />
        )
        : (
          <StoredPassages
            path={`/knowledge/${base.id}/documents/${document.id}`}
            passages={passages}
            from={from}
            more={more}
          />
        )}
    </>
  );
});
