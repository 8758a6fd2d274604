/** Passages of a shop's documents, as a knowledge search finds them, and answers about them. */

export const SHOP_PASSAGES = {
  en: {
    returns: {
      title: "Returns policy",
      text: "You may return any unused item within 30 days of delivery for a full refund. " +
        "Items must be in their original packaging. To start a return, open Orders in " +
        "your account, choose the item and select Return. We send you a prepaid label " +
        "by e-mail. Refunds are paid to the original payment method within five " +
        "working days after the parcel has arrived at our warehouse.",
    },
    shipping: {
      title: "Shipping",
      text: "We ship to all countries of the European Union and to Norway and Switzerland. " +
        "Standard delivery takes three to five working days and costs 4.90 EUR; orders " +
        "over 60 EUR ship free of charge. Express delivery arrives on the next working " +
        "day if you order before 2 pm.",
    },
    warranty: {
      title: "Warranty",
      text: "All items come with a warranty of two years from the date of delivery. If an " +
        "item breaks, send us a photo and the number of your order. We repair or " +
        "replace it free of charge. The warranty does not cover damage caused by " +
        "improper use.",
    },
    payment: {
      title: "payment-methods.pdf",
      text: "You can pay by credit card, PayPal, bank transfer and on invoice. For " +
        "invoices the amount is due within 14 days of delivery. The original payment " +
        "method is charged when the parcel leaves our warehouse.",
    },
  },
  de: {
    returns: {
      title: "Rückgabe",
      text: "Sie können unbenutzte Artikel innerhalb von 30 Tagen nach der Lieferung " +
        "zurückgeben und erhalten den vollen Kaufpreis zurück. Öffnen Sie dazu im " +
        "Kundenkonto die Bestellung und wählen Sie „Zurücksenden“. Das Etikett " +
        "schicken wir Ihnen per E-Mail. Die Erstattung erfolgt innerhalb von fünf " +
        "Werktagen.",
    },
    shipping: {
      title: "Versand",
      text: "Der Versand dauert drei bis fünf Werktage und kostet 4,90 EUR. Ab einem " +
        "Bestellwert von 60 EUR ist die Lieferung kostenlos. Wir liefern in alle " +
        "Länder der Europäischen Union sowie in die Schweiz.",
    },
    warranty: {
      title: "Garantie",
      text: "Auf alle Artikel geben wir zwei Jahre Garantie ab dem Tag der Lieferung. " +
        "Schicken Sie uns im Schadensfall ein Foto und die Bestellnummer. Wir " +
        "reparieren oder ersetzen den Artikel kostenlos.",
    },
  },
  fr: {
    returns: {
      title: "Retours",
      text: "Vous pouvez retourner tout article non utilisé dans les 30 jours suivant la " +
        "livraison et être intégralement remboursé. Les articles doivent être dans " +
        "leur emballage d'origine. Le remboursement est effectué sous cinq jours " +
        "ouvrés sur le moyen de paiement d'origine.",
    },
    shipping: {
      title: "Livraison",
      text: "La livraison standard prend trois à cinq jours ouvrés et coûte 4,90 EUR. Elle " +
        "est gratuite à partir de 60 EUR d'achat. Nous livrons dans toute l'Union " +
        "européenne ainsi qu'en Suisse.",
    },
    warranty: {
      title: "Garantie",
      text: "Tous les articles sont garantis deux ans à compter de la livraison. En cas de " +
        "panne, envoyez-nous une photo et le numéro de votre commande. Nous réparons " +
        "ou remplaçons l'article gratuitement.",
    },
  },
  ru: {
    returns: {
      title: "Возврат",
      text: "Вы можете вернуть любой неиспользованный товар в течение 30 дней после " +
        "доставки и получить полный возврат денег. Товар должен быть в оригинальной " +
        "упаковке. Деньги возвращаются в течение пяти рабочих дней тем же способом, " +
        "которым был оплачен заказ.",
    },
    shipping: {
      title: "Доставка",
      text: "Обычная доставка занимает от трёх до пяти рабочих дней и стоит 300 рублей. " +
        "При заказе от 5000 рублей доставка бесплатная. Мы доставляем заказы по всей " +
        "России.",
    },
    warranty: {
      title: "Гарантия",
      text: "На все товары действует гарантия два года со дня доставки. Если товар " +
        "сломался, пришлите нам фотографию и номер заказа. Мы бесплатно отремонтируем " +
        "или заменим его.",
    },
  },
  zh: {
    returns: {
      title: "退货政策",
      text: "您可以在收货后三十天内退回未使用的商品，并获得全额退款。商品须保持原包装。请在账" +
        "户的订单页面选择商品，然后点击退货。我们会通过电子邮件向您发送预付运费的标签。包" +
        "裹到达仓库后，退款将在五个工作日内退回原支付方式。",
    },
    shipping: {
      title: "配送",
      text: "我们向中国大陆、香港和台湾发货。标准配送需要三到五个工作日，运费为十元；订单满一" +
        "百元免运费。如果您在下午两点之前下单，快递将在下一个工作日送达。",
    },
    warranty: {
      title: "保修",
      text: "所有商品自收货之日起享受两年保修。如果商品损坏，请将照片和订单号发送给我们。我们" +
        "将免费维修或更换。保修不包括使用不当造成的损坏。",
    },
  },
  ja: {
    returns: {
      title: "返品について",
      text: "未使用の商品は、お届けから30日以内であれば返品でき、全額を返金いたします。商品" +
        "は元の箱に入れてお送りください。アカウントの「注文」を開き、商品を選んで「返品す" +
        "る」を押してください。送料着払いのラベルをメールでお送りします。返金は倉庫に到着" +
        "してから5営業日以内に行います。",
    },
    shipping: {
      title: "配送",
      text: "日本国内のすべての地域に配送します。通常配送は3日から5日かかり、送料は500円" +
        "です。5,000円以上のご注文は送料無料です。午後2時までのご注文は翌営業日にお" +
        "届けします。",
    },
    warranty: {
      title: "保証",
      text: "すべての商品には、お届け日から2年間の保証が付いています。商品が壊れた場合は、写" +
        "真と注文番号をお送りください。無料で修理または交換いたします。誤った使い方による" +
        "故障は保証の対象外です。",
    },
  },
  th: {
    returns: {
      title: "การคืนสินค้า",
      text: "คุณสามารถคืนสินค้าที่ยังไม่ได้ใช้ภายใน 3" +
        "0 วันหลังจากได้รับสินค้า และจะได้รับเงิน" +
        "คืนเต็มจำนวน สินค้าต้องอยู่ในบรรจุภัณฑ์เ" +
        "ดิม",
    },
    shipping: {
      title: "การจัดส่ง",
      text: "การจัดส่งปกติใช้เวลาสามถึงห้าวันทำการ แล" +
        "ะมีค่าใช้จ่าย 50 บาท คำสั่งซื้อที่เกิน 1" +
        ",000 บาทจัดส่งฟรี",
    },
  },
} as const;

/** An answer, and the names of the passages that it draws on. */
export const SHOP_ANSWERS: [keyof typeof SHOP_PASSAGES, string, string[]][] = [
  ["en", "You may return any unused item within 30 days of delivery and get a full refund.", [
    "returns",
  ]],
  [
    "en",
    "Yes. If you have not used the item, you can send it back up to 30 days after delivery. Choose the item under Orders in your account, and we will e-mail you a prepaid label. You get a full refund to your original payment method.",
    ["returns"],
  ],
  [
    "en",
    "Express delivery arrives on the next working day, provided that you order before 2 pm. Standard delivery takes three to five working days.",
    ["shipping"],
  ],
  [
    "en",
    "Shipping is free for orders over 60 EUR. If the item breaks, send a photo and your order number, and it is repaired or replaced free of charge within the warranty of two years.",
    ["shipping", "warranty"],
  ],
  ["en", "According to payment-methods.pdf, invoices are possible.", ["payment"]],
  ["en", "Our returns policy says that this is fine.", ["returns"]],
  [
    "en",
    "I looked into the documents, and found nothing about gift cards. Would you like me to ask a person of the team for you? They can tell you in a few minutes.",
    [],
  ],
  ["en", "Hello! How can I help you with your order today?", []],
  ["en", "Within 30 days of delivery.", ["returns"]],
  [
    "en",
    "**Refunds**\n\n- You have **30 days**\n- Items must be unused and in their *original packaging*\n- The refund is paid to the original payment method",
    ["returns"],
  ],
  [
    "de",
    "Ja, Sie können den Artikel innerhalb von 30 Tagen nach der Lieferung zurückgeben. Das Etikett bekommen Sie per E-Mail.",
    ["returns"],
  ],
  ["de", "Der Versand kostet 4,90 EUR, ab 60 EUR ist er kostenlos.", ["shipping"]],
  [
    "de",
    "Dazu habe ich in den Unterlagen leider nichts gefunden. Soll ich Sie mit einem Menschen verbinden?",
    [],
  ],
  [
    "zh",
    "可以。收货后三十天内，您可以退回未使用的商品，我们会全额退款。退款将在五个工作日内退回原支付方式。",
    ["returns"],
  ],
  ["zh", "满一百元的订单免运费，否则运费是十元。", ["shipping"]],
  ["zh", "抱歉，我在资料中没有找到关于礼品卡的信息。需要我为您转接人工客服吗？", []],
  [
    "ja",
    "はい、お届けから30日以内であれば、未使用の商品を返品できます。アカウントの「注文」から「返品する」を押してください。全額を返金します。",
    ["returns"],
  ],
  ["ja", "送料は500円ですが、5,000円以上のご注文なら無料です。", ["shipping"]],
  [
    "ja",
    "申し訳ございませんが、ギフトカードについての情報は見つかりませんでした。担当者におつなぎしましょうか。",
    [],
  ],
  [
    "fr",
    "Vous avez 30 jours après la livraison pour retourner un article non utilisé. Le remboursement est effectué sous cinq jours ouvrés.",
    ["returns"],
  ],
  [
    "fr",
    "Je n'ai rien trouvé à ce sujet dans les documents. Souhaitez-vous parler à une personne de l'équipe ?",
    [],
  ],
  [
    "ru",
    "Да, неиспользованный товар можно вернуть в течение 30 дней после доставки. Деньги вернутся в течение пяти рабочих дней.",
    ["returns"],
  ],
  ["ru", "К сожалению, в документах ничего об этом нет. Хотите, я позову сотрудника?", []],
  ["th", "ได้ค่ะ คุณสามารถคืนสินค้าที่ยังไม่ได้ใช้ภายใน 30 วันหลังจากได้รับสินค้า", ["returns"]],
  ["en", "Sie haben 30 Tage Zeit.", []],
];
