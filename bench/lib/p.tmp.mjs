import { ourClient, bareClient } from './acp-clients.mjs'
import { Session } from 'node:inspector/promises'
import { writeFileSync } from 'node:fs'
const c = await (process.argv[2]==='bare'?bareClient:ourClient)('/tmp')
for (let k=0;k<1500;k++) await c.prompt('say hello')
const s=new Session(); s.connect(); await s.post('Profiler.enable'); await s.post('Profiler.setSamplingInterval',{interval:100}); await s.post('Profiler.start')
const u=process.cpuUsage(), t=performance.now(); for (let k=0;k<3000;k++) await c.prompt('say hello'); const d=process.cpuUsage(u); console.log('ms/prompt cpu',((d.user+d.system)/3000000).toFixed(3),'wall',((performance.now()-t)/3000).toFixed(3))
const {profile}=await s.post('Profiler.stop'); writeFileSync('/tmp/b6/prof/x.cpuprofile',JSON.stringify(profile))
await c.close()
