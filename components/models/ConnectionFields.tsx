import type { ComponentChildren } from "preact";
import { Field } from "../Field.tsx";
import { msg } from "@/lib/dashboard/texts/translate.ts";

export const CONNECTION_LABELS = {
  apiKey: msg("API key"),
  baseUrl: msg("Address"),
  name: "Display name",
};

/** Help below the field of the key. */
export const SEVERAL_KEYS = msg(
  "Separate several keys with commas: conversations are divided among them, and a key that is rejected or over its limit rests.",
);

export function AddressField(
  { value, issue, placeholder }: {
    value: string;
    issue?: string | undefined;
    placeholder?: string | undefined;
  },
) {
  return (
    <Field name="baseUrl" label={CONNECTION_LABELS.baseUrl} issue={issue}>
      {(attributes) => (
        <input
          type="text"
          inputMode="url"
          class="mono"
          {...attributes}
          value={value}
          placeholder={placeholder}
          required
          spellcheck={false}
        />
      )}
    </Field>
  );
}

export function ApiKeyField(
  { isRequired, isFocused = false, issue, help }: {
    isRequired: boolean;
    isFocused?: boolean;
    issue?: string | undefined;
    help: ComponentChildren;
  },
) {
  return (
    <Field
      name="apiKey"
      label={CONNECTION_LABELS.apiKey}
      optional={!isRequired}
      focused={isFocused}
      issue={issue}
      help={help}
    >
      {(attributes) => (
        <input
          type="password"
          class="mono"
          {...attributes}
          required={isRequired}
          autocomplete="off"
        />
      )}
    </Field>
  );
}

export function NameField({ value, issue }: { value: string; issue?: string | undefined }) {
  return (
    <Field name="name" label={CONNECTION_LABELS.name} issue={issue}>
      {(attributes) => <input type="text" {...attributes} value={value} maxLength={64} />}
    </Field>
  );
}
