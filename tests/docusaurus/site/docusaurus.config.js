// The book is the folder `docs`; the address and the key of the gateway come from the test.

export default {
  title: "Tide mills",
  url: "http://127.0.0.1",
  baseUrl: "/manual/",
  onBrokenLinks: "throw",
  presets: [["classic", { docs: { sidebarPath: false, routeBasePath: "/" }, blog: false, pages: false }]],
  plugins: [
    [
      "../../../services/gateway/web/docusaurus",
      { gateway: process.env.QUOTH_GATEWAY, book: "tide-mills", key: process.env.QUOTH_KEY, label: "Ask the manual" },
    ],
  ],
};
