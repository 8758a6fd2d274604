export interface FilterChoiceProps {
  name: string;
  label: string;
  value: string;
  /** Labels the blank option. */
  any: string;
  options: readonly (readonly [value: string, label: string])[];
}

/** A choice among the filters of a list. */
export function FilterChoice({ name, label, value, any, options }: FilterChoiceProps) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
        <option value="">{any}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>{text}</option>
        ))}
      </select>
    </div>
  );
}
