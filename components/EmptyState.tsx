import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

/** What a list shows before its first row: what belongs here and how to begin. */
export function EmptyState(
  props: { icon: IconName; title: string; text: string; children?: ComponentChildren },
) {
  return (
    <section class="empty">
      <span class="empty-icon">
        <Icon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.children}
    </section>
  );
}
