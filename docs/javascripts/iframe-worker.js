// The site's search runs in a worker, which browsers refuse to a page that is opened as a file. There its script gets
// the window of an empty frame instead, and messages go to and fro as a worker's would. (The theme's plugin `offline`
// would load a script for this from elsewhere; it does not where one with this name is in mkdocs.yml.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.started = new Promise((resolve, reject) => {
        document.addEventListener("DOMContentLoaded", () => {
          document.body.append(frame);
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.onload = () => resolve(inside);
          script.onerror = reject;
          script.src = new URL(url, location.href);
          inside.document.head.append(script);
        });
      });
    }

    async postMessage(data) {
      (await this.started).dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
