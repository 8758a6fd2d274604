import type { Agent } from "../../schemas/agent.ts";

/** How messages look in the playground. */
export interface WidgetLook {
  /** The widget's style sheet. */
  styles: string;
  /** `#rrggbb`; the widget's own color without it. */
  accent?: string;
  /** A letter or emoji; none without it. The dashboard's policy does not allow images as text. */
  avatar?: string;
  /** Language of the widget's own texts; the dashboard's without it. */
  lang?: string;
}

/** The look that visitors see, in the dashboard's theme. */
export function widgetLook({ appearance = {} }: Agent, styles: string): WidgetLook {
  const { accent, avatar, lang } = appearance;
  return {
    styles,
    ...accent !== undefined && { accent },
    ...avatar !== undefined && !avatar.startsWith("data:") && { avatar },
    ...lang !== undefined && { lang },
  };
}
