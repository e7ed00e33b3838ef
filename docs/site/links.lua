-- Links between pages: what is NAME.md in the sources is NAME.html on the site, README.md of the root is index.html.
local root = ''

function Meta(meta)
  if meta.root then root = pandoc.utils.stringify(meta.root) end
end

local function target(url)
  if url:match('^%a[%w+.-]*:') or url:match('^#') then return url end
  local path, anchor = url:match('^([^#]*)(#?.*)$')
  if path == root .. 'README.md' then return root .. 'index.html' .. anchor end
  path = path:gsub('%.md$', '.html')
  return path .. anchor
end

function Link(link)
  link.target = target(link.target)
  return link
end

return { { Meta = Meta }, { Link = Link } }
