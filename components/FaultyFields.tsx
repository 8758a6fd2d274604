import { Fragment } from "preact";
import { Notice } from "./Notice.tsx";

/** Says that nothing was saved, and leads to each field at fault: a form may be longer than a screen. */
export function FaultyFields(
  { fields, labels }: { fields: readonly string[]; labels: Readonly<Record<string, string>> },
) {
  return (
    <Notice kind="fault">
      Nothing was saved. Put right: {fields.map((field, n) => (
        <Fragment key={field}>
          {n > 0 && ", "}
          <a href={`#${field}`}>{labels[field] ?? field}</a>
        </Fragment>
      ))}.
    </Notice>
  );
}
