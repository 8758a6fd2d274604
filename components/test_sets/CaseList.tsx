import { describeExpectation } from "@/lib/dashboard/test_sets/test_set_labels.ts";
import type { TestCase } from "@/lib/schemas/test_case.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The cases of a set, oldest first. */
export function CaseList({ cases, path }: { cases: readonly TestCase[]; path: string }) {
  return (
    <ul class="rows" aria-label={t("Cases")}>
      {cases.map(({ id, name, question, expectations, enabled, tags = [] }) => (
        <li key={id} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={`${path}/cases/${id}`} dir="auto">{name ?? question}</a>
              {!enabled && <span class="badge">{t("Not run")}</span>}
              {tags.map((tag) => (
                <span key={tag} class="badge">
                  <bdi>{tag}</bdi>
                </span>
              ))}
            </p>
            <p class="row-text" dir="auto">
              {expectations.length === 0
                ? t("Any answer that does not fail")
                : expectations.map(describeExpectation).join(" · ")}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
