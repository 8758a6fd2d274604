import type { ComponentChildren } from "preact";

/** A labeled control of a tool. Reports its value on blur, not with every key. */
export function LabelledInput(
  props: {
    id: string;
    label: string;
    value: unknown;
    help?: ComponentChildren;
    kind?: "text" | "number" | "lines";
    placeholder?: string;
    mono?: boolean;
    onCommit: (value: string) => void;
  },
) {
  const { id, label, help, kind = "text", onCommit } = props;
  const shared = {
    id,
    value: props.value === undefined ? "" : String(props.value),
    placeholder: props.placeholder,
    class: props.mono ? "mono" : undefined,
    spellcheck: !props.mono,
    "aria-describedby": help === undefined ? undefined : `${id}-help`,
    onChange: (event: { currentTarget: { value: string } }) => onCommit(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === "lines"
        ? <textarea rows={2} {...shared} />
        : <input type={kind} autocomplete="off" {...shared} />}
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
    onCommit: (value: unknown) => void;
  },
) {
  const { id, label, help, value, onCommit } = props;
  function commit({ currentTarget: area }: { currentTarget: HTMLTextAreaElement }) {
    try {
      const next = area.value.trim() === "" ? undefined : JSON.parse(area.value);
      area.setCustomValidity("");
      onCommit(next);
    } catch (error) {
      area.setCustomValidity(`Invalid JSON: ${(error as Error).message}`);
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
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={commit}
        onInvalid={({ currentTarget }) => reveal(currentTarget)}
        value={value === undefined ? "" : JSON.stringify(value, null, 2)}
      />
      {help !== undefined && <p class="help" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

/** Opens the details elements around a control, so that the browser can show its message. */
function reveal(element: Element): void {
  const folded = element.closest("details");
  if (folded === null) return;
  folded.open = true;
  if (folded.parentElement) reveal(folded.parentElement);
}
