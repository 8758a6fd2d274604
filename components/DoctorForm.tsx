import { Field } from "./Field.tsx";

export interface DoctorFormProps {
  action: string;
  origin: string;
  tag: string;
  /** Origins to choose from. */
  origins: readonly string[];
}

/** Asks for the page to look at. */
export function DoctorForm({ action, origin, tag, origins }: DoctorFormProps) {
  return (
    <form method="post" action={action} class="stack">
      <Field
        name="origin"
        label="Origin of the page"
        help="scheme://host, without a path. One of the agent's allowed origins, if it is to work."
      >
        {(attributes) => (
          <input
            type="text"
            inputMode="url"
            {...attributes}
            value={origin}
            list="origins"
            required
            maxLength={512}
            placeholder="https://www.example.com"
          />
        )}
      </Field>
      <datalist id="origins">
        {origins.map((one) => <option key={one} value={one} />)}
      </datalist>
      <Field
        name="tag"
        label="Script tag"
        optional
        help="As it is on the page. Left empty, the page at the origin is read, over https only."
      >
        {(attributes) => (
          <textarea {...attributes} rows={6} maxLength={16_384} spellcheck={false} class="mono">
            {tag}
          </textarea>
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">Examine</button>
      </div>
    </form>
  );
}
