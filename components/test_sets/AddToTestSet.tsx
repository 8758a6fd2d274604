import { PostForm } from "@/components/PostForm.tsx";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Makes a case of an answer: one click if the agent has one test set, or none yet. */
export function AddToTestSet(
  { runId, agentId, testSets }: {
    runId: string;
    agentId: string;
    /** Of the agent, newest first. */
    testSets: readonly Pick<TestSet, "id" | "name">[];
  },
) {
  if (testSets.length === 0) {
    return (
      <a
        class="button button-small"
        href={`/test-sets/new?agentId=${agentId}&runId=${runId}`}
        aria-current="false"
      >
        {t("Add to a test set")}
      </a>
    );
  }
  const [only] = testSets;
  return (
    <PostForm action="/test-sets/add" class="form-actions">
      <input type="hidden" name="runId" value={runId} />
      {testSets.length === 1
        ? <input type="hidden" name="set" value={only!.id} />
        : (
          <select name="set" aria-label={t("Test set")}>
            {testSets.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        )}
      <button class="button button-small" type="submit">
        {testSets.length === 1
          ? t("Add to test set {name}", { name: only!.name })
          : t("Add to a test set")}
      </button>
    </PostForm>
  );
}
