import type { ComponentChildren } from "preact";
import {
  APPEARANCE_FIELDS,
  type AppearanceField,
  type AppearanceIssues,
  type AppearanceValues,
} from "@/lib/dashboard/appearance/appearance_form.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { type ControlAttributes, Field } from "../Field.tsx";

export interface ControlProps {
  name: AppearanceField;
  values: AppearanceValues;
  issues: AppearanceIssues;
  help?: string | undefined;
}

/** A labeled control of the Appearance page. */
export function Control(
  { name, issues, help, children }: ControlProps & {
    children: (attributes: ControlAttributes) => ComponentChildren;
  },
) {
  return (
    <Field name={name} label={APPEARANCE_FIELDS[name]} help={help} issue={issues[name]}>
      {children}
    </Field>
  );
}

/** A select whose blank option, the first, is the default. */
export function Choice(
  props: ControlProps & { options: readonly (readonly [value: string, label: string])[] },
) {
  return (
    <Control {...props}>
      {(attributes) => (
        <select {...attributes}>
          {props.options.map(([name, label]) => (
            <option key={name} value={name} selected={name === props.values[props.name]}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Control>
  );
}

/** On or off, with a default that is stored as nothing. */
export function Switch(props: ControlProps & { default: "on" | "off" }) {
  const options = props.default === "on"
    ? [["", t("On")], ["off", t("Off")]] as const
    : [["", t("Off")], ["on", t("On")]] as const;
  const isDefault = props.values[props.name] === props.default;
  // An agent may have its default set; the form then shows it, and stores nothing.
  const values = isDefault ? { ...props.values, [props.name]: "" } : props.values;
  return <Choice {...props} values={values} options={options} />;
}
