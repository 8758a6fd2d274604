import type { Runtime } from "../system.ts";
import { recordChange } from "./audit_record.ts";
import type { DocumentRecord } from "./document_record.ts";
import type { DocumentName } from "./keys.ts";
import type { KnowledgeBaseRecord } from "./knowledge_base_record.ts";

/** A change of a document that somebody has made; reading it is the service's own. */
export interface AuditedDocumentChange {
  of: DocumentName;
  action: "create" | "replace" | "delete";
  base: KnowledgeBaseRecord;
  before?: DocumentRecord;
  after?: DocumentRecord;
}

/** Adds the audit log's entry to the step that makes the change. What the document says is not in it. */
export function recordDocumentChange(
  step: Deno.AtomicOperation,
  system: Runtime,
  { of: { tenant, id }, action, base, before, after }: AuditedDocumentChange,
): void {
  const name = (after ?? before)?.title ?? "";
  recordChange(step, system, {
    ...{ tenant, kind: "document", action, target: { id, name } },
    before: before && auditedDocumentFields(before, base),
    after: after && auditedDocumentFields(after, base),
  });
}

function auditedDocumentFields(
  { title, mediaType, bytes }: DocumentRecord,
  { name: knowledgeBase }: KnowledgeBaseRecord,
) {
  return { title, mediaType, bytes, knowledgeBase };
}
