import type { ComponentChildren } from "preact";
import { revealField } from "../../lib/dashboard/browser/reveal_field.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A labeled control of a tool. Reports its value on blur, not with every key. */
export function LabelledInput(
  props: {
    id: string;
    label: string;
    value: unknown;
    help?: ComponentChildren;
    /** Shown in addition to the help. */
    issue?: string | undefined;
    kind?: "text" | "number" | "lines";
    placeholder?: string;
    mono?: boolean;
    onCommit: (value: string) => void;
  },
) {
  const { id, label, help, issue, kind = "text", onCommit } = props;
  const shared = {
    id,
    value: props.value === undefined ? "" : String(props.value),
    placeholder: props.placeholder,
    class: props.mono ? "mono" : undefined,
    spellcheck: !props.mono,
    ...issueAttributes(id, { help, issue }),
    onChange: (event: { currentTarget: { value: string } }) => onCommit(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "lines"
        ? <textarea rows={2} {...shared} />
        : <input type={kind} autocomplete="off" {...shared} />}
      <FieldIssue id={id} issue={issue} />
      {help !== undefined && <p class="help" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

/** A JSON field. Invalid JSON stays in the field and blocks the form. */
export function JsonInput(
  props: {
    id: string;
    label: string;
    value: unknown;
    help?: ComponentChildren;
    issue?: string | undefined;
    onCommit: (value: unknown) => void;
  },
) {
  const { id, label, help, issue, value, onCommit } = props;
  function commit({ currentTarget: area }: { currentTarget: HTMLTextAreaElement }) {
    try {
      const next = area.value.trim() === "" ? undefined : JSON.parse(area.value);
      area.setCustomValidity("");
      onCommit(next);
    } catch (error) {
      area.setCustomValidity(t("Invalid JSON: {value}", { value: (error as Error).message }));
      area.reportValidity();
    }
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="mono"
        rows={3}
        spellcheck={false}
        {...issueAttributes(id, { help, issue })}
        onChange={commit}
        onInvalid={({ currentTarget }) => revealField(currentTarget)}
        value={value === undefined ? "" : JSON.stringify(value, null, 2)}
      />
      <FieldIssue id={id} issue={issue} />
      {help !== undefined && <p class="help" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

/** The server's message about a field of a tool. */
export function FieldIssue({ id, issue }: { id: string; issue: string | undefined }) {
  return issue === undefined ? null : <p class="field-error" id={`${id}-issue`}>{issue}</p>;
}

function issueAttributes(
  id: string,
  { help, issue }: { help: ComponentChildren; issue: string | undefined },
) {
  const notes = [issue && `${id}-issue`, help !== undefined && `${id}-help`].filter(Boolean);
  return {
    "aria-describedby": notes.length === 0 ? undefined : notes.join(" "),
    "aria-invalid": issue === undefined ? undefined : ("true" as const),
  };
}
