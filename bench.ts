const kv = await Deno.openKv(Deno.args[0]);
const n = Number(Deno.args[1] ?? 15);
const q=(a:number[],p:number)=>a.sort((x,y)=>x-y)[Math.min(a.length-1,Math.floor(a.length*p))].toFixed(2);
async function m(name:string, f:()=>Promise<unknown>){ const a:number[]=[]; for(let i=0;i<n;i++){const t=performance.now(); await f(); a.push(performance.now()-t);} console.log(name.padEnd(10),"p50",q(a,.5),"p90",q(a,.9),"max",q(a,1)); }
await kv.get(["x"]);
await m("get",()=>kv.get(["x"]));
for (const s of [100,500,900,1000,1200,1500,2000,4000,8000,16000,60000]) await m("w"+s,()=>kv.set(["x",s],new Uint8Array(s)));
await kv.set(["big"], new Uint8Array(60000)); await m("get60k",()=>kv.get(["big"]));
kv.close();
