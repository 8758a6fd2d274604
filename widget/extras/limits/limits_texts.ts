import type { Languages } from "../../locales.ts";

/** What the visitor has left. Short and calm; strings in the order of limits_ids.ts. */
export const LIMITS_TEXTS: Languages = {
  en: "Budget used|Available again",
  nl: "Budget gebruikt|Weer beschikbaar",
  de: "Budget verbraucht|Wieder verfügbar",
  fr: "Budget utilisé|À nouveau disponible",
  es: "Presupuesto usado|Disponible de nuevo",
  pt: "Orçamento usado|Disponível novamente",
  it: "Budget usato|Di nuovo disponibile",
  pl: "Wykorzystany budżet|Ponownie dostępne",
  tr: "Kullanılan bütçe|Yeniden kullanılabilir",
  ja: "予算使用率|再開",
  zh: "已用预算|恢复使用",
  ar: "الميزانية المستخدمة|متاح مجددًا",
};
