import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { EmptyState } from "@/components/EmptyState.tsx";
import { Notice } from "@/components/Notice.tsx";
import DocumentManager from "@/islands/DocumentManager.tsx";
import type { KnowledgeBasePageData } from "@/lib/dashboard/knowledge/find_knowledge_base.ts";
import { AgentLinks } from "./AgentLinks.tsx";
import { BaseHeader } from "./BaseHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface BasePageProps extends KnowledgeBasePageData {
  /** Flash message of the previous page. */
  notice?: ComponentChildren;
  /** Why an upload was rejected. */
  issue?: string | undefined;
}

/** A knowledge base with its documents and the agents that use it. */
export function BasePage({ notice, issue, ...data }: BasePageProps) {
  const { base, documents, cursor, nextCursor, editor, now } = data;
  const path = `/knowledge/${base.id}`;
  const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
  return (
    <>
      <BaseHeader base={base} tab="documents" editor={editor} />
      {documents.some(({ state }) => state === "processing") && <Reloading path={path + query} />}
      {notice}
      {issue && <Notice kind="error">{issue}</Notice>}
      <DocumentManager
        path={`${path}/documents`}
        query={query}
        documents={documents}
        documentCount={base.documentCount}
        chunkCount={base.chunkCount}
        now={now}
        editor={editor}
      />
      {editor && (
        <p class="add-text">
          <a class="button" href={`${path}/documents/text`} aria-current="false">
            {t("Write or paste text")}
          </a>
        </p>
      )}
      {documents.length === 0 && !editor && (
        <EmptyState
          icon="knowledge"
          title={t("No documents")}
          text={cursor === ""
            ? t("No documents were added yet.")
            : t("There are no older documents.")}
        />
      )}
      <nav class="pager" aria-label={t("Pages")}>
        {cursor !== "" && <a class="button" href={path} aria-current="false">{t("Newest")}</a>}
        {nextCursor && (
          <a class="button" href={`${path}?cursor=${encodeURIComponent(nextCursor)}`}>
            {t("Older")}
          </a>
        )}
      </nav>
      <UsedBy {...data} />
    </>
  );
}

/** Without scripts, reloads the page while documents are processing. */
function Reloading({ path }: { path: string }) {
  return (
    <Head>
      <noscript>
        <meta http-equiv="refresh" content={`5;url=${path}`} />
      </noscript>
    </Head>
  );
}

function UsedBy({ agents }: Pick<KnowledgeBasePageData, "agents">) {
  return (
    <section class="used-by">
      <h2>{t("Used by")}</h2>
      {agents.data.length > 0 ? <AgentLinks agents={agents} /> : (
        <p class="prose">
          {t("No agents yet. Select it in an agent's editor, under “Knowledge”.")}
        </p>
      )}
    </section>
  );
}
