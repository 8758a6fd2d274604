import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import type { Publication } from "@/lib/schemas/publication.ts";
import type { TestSet } from "@/lib/schemas/test_set.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { PublishFields } from "./PublishFields.tsx";

interface GateFormProps {
  path: string;
  publication: Publication;
  revision: number;
  editor: boolean;
  /** The agent's test sets. */
  testSets: readonly TestSet[];
}

/** Which tests a version must pass before it is published. */
export function GateForm(
  { path, publication: { gate }, revision, editor, testSets }: GateFormProps,
) {
  const chosen = testSets.find(({ id }) => id === gate?.testSetId);
  return (
    <section class="card stack" aria-labelledby="gate">
      <h2 id="gate">{t("Required tests")}</h2>
      {!editor && (
        <p class="prose">
          {gate === undefined
            ? t("No test set is required before publishing.")
            : t("A version must pass the test set {name}.", { name: chosen?.name ?? t("deleted") })}
        </p>
      )}
      {editor && testSets.length === 0 && gate === undefined && (
        <p class="prose">
          {t("With a test set for this agent, you can require every version to pass it first.")}
          {" "}
          <a href="/test-sets">{t("Create a test set")}</a>
        </p>
      )}
      {editor && (testSets.length > 0 || gate !== undefined) && (
        <PostForm action={`${path}/publish`} class="stack">
          <PublishFields revision={revision} change="gate" />
          <Field
            name="gate"
            label={t("Required test set")}
            help={t(
              "The version's latest complete run of the current cases must have passed.",
            )}
          >
            {(attributes) => (
              <select {...attributes}>
                <option value="">{t("None")}</option>
                {gate && chosen === undefined && (
                  <option value={gate.testSetId} selected>{t("A deleted test set")}</option>
                )}
                {testSets.map(({ id, name }) => (
                  <option key={id} value={id} selected={id === gate?.testSetId}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <div class="form-actions">
            <button class="button" type="submit">{t("Save")}</button>
          </div>
        </PostForm>
      )}
    </section>
  );
}
