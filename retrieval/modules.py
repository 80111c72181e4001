from __future__ import annotations
from collections import defaultdict
class ModuleMap:
    def __init__(self, paths):
        self.by_name=defaultdict(list)
        self.paths=set(paths)
        self.by_tail=defaultdict(list)
        for p in sorted(self.paths):
            self.by_name[p.rpartition('/')[2].lower()].append(p)
            stem=p.rsplit('.',1)[0]
            if stem.endswith('/__init__'): stem=stem[:-9]
            parts=stem.split('/')
            for i in range(len(parts)): self.by_tail['.'.join(parts[i:])].append(p)
    def resolve(self, importer, imported, language):
        m=imported.module
        if m.startswith('.') and language=='python':
            n=len(m)-len(m.lstrip('.')); base=importer.split('/')[:-n]; m='.'.join(base+[x for x in m.lstrip('.').split('.') if x])
        m=m.replace('::','.').replace('\\','.').replace('/','.').strip('.')
        out=[]
        for nm in imported.names:
            out+=self.by_tail.get(m+'.'+nm,[])[:3]
        return (out+self.by_tail.get(m,[])[:3])[:4]
    def find_dotted(self,d):
        parts=d.split('.')
        for n in range(len(parts),1,-1):
            f=self.by_tail.get('.'.join(parts[:n]))
            if f: return f
        return []
    def find_path(self,m):
        q=m.replace('\\','/').split('/')
        c=self.by_name.get(q[-1].lower(),[])
        best=0;out=[]
        for p in c:
            a=p.split('/'); k=0
            while k<min(len(a),len(q)) and a[-1-k].lower()==q[-1-k].lower(): k+=1
            if k>best: best,out=k,[p]
            elif k==best: out.append(p)
        return out
