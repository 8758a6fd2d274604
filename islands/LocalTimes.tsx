import { useEffect } from "preact/hooks";
import { currentLanguage } from "@/lib/dashboard/texts/translate.ts";

/**
 * Shows times in the reader's time zone, which the server does not know: as the title of relative
 * times and as the text of exact ones and times of day. Without scripts they stay in UTC.
 */
export default function LocalTimes() {
  useEffect(() => {
    const language = currentLanguage();
    const long = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long" });
    const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
    const clock = new Intl.DateTimeFormat(language, {
      ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
    });
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = Date.parse(time.getAttribute("datetime") ?? "");
      if (Number.isNaN(at)) continue;
      time.setAttribute("title", long.format(at));
      if (time.hasAttribute("data-clock")) time.textContent = clock.format(at);
      if (time.hasAttribute("data-exact")) time.textContent = short.format(at);
    }
  }, []);
  return null;
}
