// What the Docusaurus plugin uses of a site's packages, which are not installed for the checks of types.

declare module "@docusaurus/router" {
  export function useHistory(): { push(path: string): void };
  export function useLocation(): { pathname: string };
}

declare module "@docusaurus/useGlobalData" {
  export function usePluginData(plugin: string): unknown;
}

declare module "react" {
  export const Fragment: unique symbol;
  export function createElement(type: symbol, properties: null, ...children: unknown[]): object;
  export function useEffect(effect: () => void | (() => void), dependencies: readonly unknown[]): void;
}
