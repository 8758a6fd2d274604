import { Pagination } from "@/components/Pagination.tsx";
import type { StoredPassage } from "@/lib/knowledge/search/passage_source.ts";
import { passageAnchor, PASSAGES_PER_PAGE } from "@/lib/dashboard/knowledge/passage_path.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface StoredPassagesProps {
  /** Of the document's page. */
  path: string;
  passages: readonly StoredPassage[];
  /** The position of the first one. */
  from: number;
  /** More follow. */
  more: boolean;
}

/** Passages of a document, each with an address of its own. */
export function StoredPassages({ path, passages, from, more }: StoredPassagesProps) {
  const pageAt = (position: number) => position <= 0 ? path : `${path}?from=${position}`;
  return (
    <>
      <p class="prose found-help">
        {t("What was read from the document: the passages that search finds and agents get.")}
      </p>
      <ol class="found">
        {passages.map(({ position, headingPath, text }) => (
          <li key={position} class="card passage" id={passageAnchor(position)}>
            <div class="passage-head">
              <h2>
                <a href={`${pageAt(from)}#${passageAnchor(position)}`} aria-current="false">
                  {t("Passage {number}", { number: position + 1 })}
                </a>
              </h2>
              {headingPath.length > 0 && <p class="help" dir="auto">{headingPath.join(" › ")}</p>}
            </div>
            <p class="passage-text" dir="auto">{text}</p>
          </li>
        ))}
      </ol>
      <Pagination
        {...from > 0 && { previous: pageAt(from - PASSAGES_PER_PAGE) }}
        {...more && { next: pageAt(from + PASSAGES_PER_PAGE) }}
      />
    </>
  );
}
